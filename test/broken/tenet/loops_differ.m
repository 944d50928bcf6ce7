{ S[i,j] -> PE[i % 8] }
{ S[i,j,k] -> T[k] }
