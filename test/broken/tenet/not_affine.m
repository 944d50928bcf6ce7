{ S[i,j] -> PE[i * j] }
{ S[i,j] -> T[i / 8, j] }
