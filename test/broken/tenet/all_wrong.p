{ PE[i] : 0 <= i < 0 }
{ PE[i,j] -> PE[i+1] }
256
more
