{ PE[i,j] : 0 <= i < 8 and 0 <= j <= i }
{ PE[i,j] -> PE[i,j+1] }
256 1024 64 16
