#!/bin/sh
# MAESTRO's networks, directives and hardware, with numbers worked out by hand.
sator=$1
fail() { echo "$*"; exit 1; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

cat >net.m <<'EOF2'
// comments, constants, and sizes that follow from others
Constant Channels 64;
Network net {
	Layer KCP {
		Type: CONV
		Stride { X: 1, Y: 1 }
		Dimensions { K: Channels, C: 2*Channels, R: 3, S: 3, Y:224, X:224 }
		Dataflow {
			SpatialMap(1,1) K;
			TemporalMap(64,64) C;
			TemporalMap(Sz(R),Sz(R)) R;
			TemporalMap(Sz(S),Sz(S)) S;
			TemporalMap(Sz(R),1) Y;
			TemporalMap(Sz(S),1) X;
			Cluster(64, P);
			SpatialMap(1,1) C;
			TemporalMap(Sz(R),1) Y;
			TemporalMap(Sz(S),1) X;
		}
	}
	Layer RS-2 {
		Type: CONV
		Stride { X: 2, Y: 2 }
		Dataflow {
			TemporalMap(16,16) K;
			SpatialMap(Sz(R),1) Y;
			TemporalMap(8+Sz(S)-1,8) X;
			Cluster(Sz(R),P);
			SpatialMap(1,1) Y;
			SpatialMap(1,1) R;
		}
		Dimensions { K 64, C 3 R 7, S 7, Y 229, X 229 }
	}
	Layer product {
		Type: GEMM
		Dimensions { M: 100, N: 40, K: 32 }
		Dataflow { TemporalMap(1,1) N; SpatialMap(1,1) M; Cluster(16, L); SpatialMap(1,1) K; }
	}
}
EOF2
printf 'num_pes: 256\nl1_size_cstr: 100000\nl2_size_cstr: 10000000\nnoc_bw_cstr: 1000\r\noffchip_bw_cstr: 50\n' >hw.m
"$sator" check net.m hw.m | grep -c 'a MAESTRO file, nothing wrong' | grep -qx 2 || fail "MAESTRO files are not recognised"
"$sator" show net.m >shown || fail "the network is not shown"
# (224 - 3) / 1 + 1 = 222 and (229 - 7) / 2 + 1 = 112 outputs
grep -q 'sizes: {k: 64, c: 128, oy: 222, ox: 222, ry: 3, rx: 3}' shown || fail "KCP: $(grep sizes shown)"
grep -q 'A\[c, 2\*oy + ry, 2\*ox + rx\]' shown || fail "the stride is lost"
grep -q 'sizes: {k: 64, c: 3, oy: 112, ox: 112, ry: 7, rx: 7}' shown || fail "RS-2 is another"
# 14 rows of X with a stride of 2 hold (14 - 7) / 2 + 1 = 4 outputs: 8 of X further on
grep -q 'time: "T\[k/16, oy/(shape.0/7), ox/4\]"' shown || fail "RS-2's time is $(grep time shown)"
grep -q 'space: "PE\[7\*(oy%(shape.0/7)) + ry\]"' shown || fail "RS-2's space is $(grep space shown)"
grep -q 'space: "PE\[16\*(i%(shape.0/16)) + k%16\]"' shown || fail "the product's space is another"
"$sator" show hw.m >shown || fail "the hardware is not shown"
grep -q 'memory: L2, capacity_bytes: 10000000, bandwidth_bits: {read: 8000, write: 8000}' shown || fail "1000 elements of 8 bits are not 8000 bits"

# KCP: 16 steps of K over 4 clusters, 2 of C, 222 x 222 of outputs, 9 multiply-accumulates in each.
# RS-2: 4 of K, ceil(112 / 36 clusters) = 4 rows, 28 tiles of X; in each 16 of k, 3 of c, 4 of ox, 7 of rx.
# product: 40 of N, ceil(100 / 16 clusters) = 7, 2 of K over 16 PEs.
"$sator" analyze net.m --arch hw.m --timing roofline --dataflow net.m -q >result || fail "no result"
for layer in 'KCP .* 14,193,792' 'RS-2 .* 602,112' 'product .* 560'; do
    grep -q "^  $layer  *compute" result || fail "not as worked out: $layer; $(cat result)"
done
# a dataflow of another network, and one layer that has none
"$sator" analyze gemm --arch hw.m --timing roofline --dataflow net.m >out 2>messages && fail "another network's dataflow is taken"
grep -q "none of which is 'gemm'" messages || fail "it is not said that there is no such layer: $(cat messages)"

# What is shown reads back the same.
"$sator" show hw.m >once.yaml && "$sator" show once.yaml >twice.yaml && cmp once.yaml twice.yaml || fail "hw.m reads back as something else"
"$sator" show net.m | sed -n '/^---$/,$p' | tail -n +2 >once.yaml && "$sator" show once.yaml >twice.yaml
sed s/once/net/ twice.yaml | cmp once.yaml || fail "the directives read back as something else"
exit 0
