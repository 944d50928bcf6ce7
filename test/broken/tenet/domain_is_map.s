1 1
{ S[i,j] -> A[i] }
{ S[i,j] -> A[i] }
{ S[i,j] -> Y[j] }
