{ S[i,j] -> PE[i % 0] }
{ S[i,j] -> T[floor(i / -8), j] }
