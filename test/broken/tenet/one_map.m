{ S[i,j] -> PE[i % 8] }
