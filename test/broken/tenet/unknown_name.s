1 1
{ S[i,j] : 0 <= i,j < 4 }
{ S[i,j] -> A[i + k] }
{ S[i,j] -> Y[j] }
