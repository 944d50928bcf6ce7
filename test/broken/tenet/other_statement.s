1 1
{ S[i,j] : 0 <= i,j < 4 }
{ S[i,k,j] -> A[k] }
{ Q[i,j] -> Y[j] }
