{ S[i,j] -> PE[i % 8] }
{ S[i,j] -> T[j] }
{ S[i,j] -> T[i] }
