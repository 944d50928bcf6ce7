2 1
{ S[i,j] : 0 <= i,j < 4 }
{ S[i,j] -> A[i] }
{ S[i,j] -> A[i,j] }
{ S[i,j] -> Y[j] }
