// The inference of estep lda in C++ with vector types, as fast as we can write it (gcc 12). BenchmarkLimit measures package mixture against it.
// The algorithm is the same: β transposed to a row for each topic, passes over vectors of words, a list of live topics that shrinks, and exp(ψ(γ))
// in float32. Compile with -DLANES=8 or 16 and the flags of that width.
//
//	estep DUMP TOLERANCE ITERATIONS REPETITIONS
//
// DUMP has, in 32-bit numbers of this machine: K, V, the documents' number, α, V rows of K weights as inference has them, and for each document
// its number of words, their ids, and their counts. It prints documents a second of CPU time in the fastest repetition, the mean number of
// iterations, and the mean of γ_k·k over documents and live topics, by which results are compared.
#include <immintrin.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

constexpr int L = LANES;
typedef float V __attribute__((vector_size(4 * L)));
typedef int32_t I __attribute__((vector_size(4 * L)));

static inline V load(const float *p) { V v; memcpy(&v, p, sizeof v); return v; }
static inline void store(float *p, V v) { memcpy(p, &v, sizeof v); }
static inline V all(float x) { return V{} + x; }
static inline V where(I mask, V v) { return (V)(mask & (I)v); }
template <int bytes> struct Vector { typedef float type __attribute__((vector_size(bytes))); };
template <int bytes> using Floats = typename Vector<bytes>::type;
template <class T, class F> static inline float fold(T v, F f) {
	if constexpr (sizeof(T) == 16) {
		return f(f(v[0], v[2]), f(v[1], v[3]));
	} else {
		Floats<sizeof(T) / 2> low, high;
		memcpy(&low, &v, sizeof low), memcpy(&high, (char *)&v + sizeof low, sizeof low);
		return fold(f(low, high), f);
	}
}
static auto larger = [](auto a, auto b) { return a > b ? a : b; };
static auto plus = [](auto a, auto b) { return a + b; };

static int topics, words, stride;
static float alpha;
static std::vector<float> table;
struct Document { std::vector<int32_t> ids; std::vector<float> counts; };

// Rows begin where cache lines do: a vector across two of them is loaded twice.
template <class T> static T *aligned(size_t count) { return (T *)aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64); }

// The state of a document.
static int width, n, most; // most: of width so far
static float *__restrict cells, *__restrict counts, *__restrict p;
static float *__restrict theta, *__restrict sums, *__restrict gammas;
static int32_t *__restrict live;

static void gather(const Document &d) {
	int observed = d.ids.size();
	width = (observed + L - 1) / L * L;
	if (most < width) {
		most = 2 * width;
		free(p), free(counts), free(cells);
		p = aligned<float>(most), counts = aligned<float>(most), cells = aligned<float>((size_t)most * stride);
	}
	std::copy(d.counts.begin(), d.counts.end(), counts);
	std::fill(counts + observed, counts + width, 0);
	for (int i = 0; i < width; i += 8) {
		const float *from[8];
		for (int w = 0; w < 8; w++) from[w] = &table[(size_t)(i + w < observed ? d.ids[i + w] : words) * stride];
		float *to = cells + i;
		for (int k = 0; k < stride; k += 4, to += 4 * (size_t)width) {
			__m256 r[4];
			for (int w = 0; w < 4; w++)
				r[w] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from[w] + k)), _mm_loadu_ps(from[w + 4] + k), 1);
			__m256d a = (__m256d)_mm256_unpacklo_ps(r[0], r[1]), b = (__m256d)_mm256_unpackhi_ps(r[0], r[1]);
			__m256d c = (__m256d)_mm256_unpacklo_ps(r[2], r[3]), e = (__m256d)_mm256_unpackhi_ps(r[2], r[3]);
			_mm256_storeu_ps(to, (__m256)_mm256_unpacklo_pd(a, c));
			_mm256_storeu_ps(to + width, (__m256)_mm256_unpackhi_pd(a, c));
			_mm256_storeu_ps(to + 2 * (size_t)width, (__m256)_mm256_unpacklo_pd(b, e));
			_mm256_storeu_ps(to + 3 * (size_t)width, (__m256)_mm256_unpackhi_pd(b, e));
		}
	}
}

// p_i = c_i / Σ_k θ_k β_ki for W vectors of words.
template <int W> static void explain(int i) {
	V sum[W] = {};
	auto add = [&](int j) {
		const float *row = cells + (size_t)live[j] * width + i;
		for (int w = 0; w < W; w++) sum[w] += theta[j] * load(row + w * L);
	};
	int j = 0;
	for (; j + 4 <= n; j += 4) add(j), add(j + 1), add(j + 2), add(j + 3);
	for (; j < n; j++) add(j);
	for (int w = 0; w < W; w++) store(p + i + w * L, load(counts + i + w * L) / sum[w]);
}

// Sums of the lanes of four vectors.
template <class T> static inline auto fourSums(T a, T b, T c, T d) {
	if constexpr (sizeof(T) == 64) {
		auto half = [](T v) {
			Floats<32> low, high;
			memcpy(&low, &v, 32), memcpy(&high, (char *)&v + 32, 32);
			return low + high;
		};
		return fourSums(half(a), half(b), half(c), half(d));
	} else {
		T ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) + __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
		T cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13) + __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
		T s = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) + __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
		return __builtin_shufflevector(s, s, 0, 1, 2, 3) + __builtin_shufflevector(s, s, 4, 5, 6, 7);
	}
}

// s_k += Σ_i p_i β_ki over W vectors of words, four topics at a time.
template <int W> static void share(int i) {
	V q[W];
	for (int w = 0; w < W; w++) q[w] = load(p + i + w * L);
	for (int j = 0; j < n; j += 4) {
		V sum[4];
		for (int t = 0; t < 4; t++) {
			const float *row = cells + (size_t)live[j + t] * width + i;
			sum[t] = q[0] * load(row);
			for (int w = 1; w < W; w++) sum[t] += q[w] * load(row + w * L);
		}
		auto s = fourSums(sum[0], sum[1], sum[2], sum[3]);
		decltype(s) before;
		memcpy(&before, sums + j, 16);
		s += before;
		memcpy(sums + j, &s, 16);
	}
}

// Both over all words, in blocks of equal size of at most eight vectors.
enum Pass { EXPLAIN, SHARE };
template <Pass pass, int W> static inline void block(int i) {
	if constexpr (pass == EXPLAIN) explain<W>(i); else share<W>(i);
}
template <Pass pass> static void over() {
	if (pass == SHARE) memset(sums, 0, (n + 3) / 4 * 16);
	for (int i = 0; i < width;) {
		int left = (width - i) / L, w = left > 16 ? 8 : left > 8 ? (left + 1) / 2 : left;
		switch (w) {
		case 1: block<pass, 1>(i); break;
		case 2: block<pass, 2>(i); break;
		case 3: block<pass, 3>(i); break;
		case 4: block<pass, 4>(i); break;
		case 5: block<pass, 5>(i); break;
		case 6: block<pass, 6>(i); break;
		case 7: block<pass, 7>(i); break;
		case 8: block<pass, 8>(i); break;
		}
		i += w * L;
	}
}

// f and s of exp(ψ(x)) = f exp(−s), see package mixture.
static inline void expDigamma(V x, V &f, V &s) {
	V u = x * (x + 3), v = u + 2, z = x + 3.5f, uv = u * v, r = 1 / (uv * z), w = r * uv, w2 = w * w;
	f = z + w * (1.f / 24 + w2 * (-37.f / 5760 + w2 * (10313.f / 2903040)));
	s = (x + x + 3) * (u + v) * z * r;
}

static void expectWeights() {
	for (int j = n; j % L; j++) gammas[j] = gammas[0];
	V most = load(gammas), f0, s0;
	for (int j = L; j < n; j += L) { V x = load(gammas + j); most = x > most ? x : most; }
	expDigamma(all(fold(most, larger)), f0, s0);
	V scale = 1 / f0;
	for (int j = 0; j < n; j += L) {
		V f, s;
		expDigamma(load(gammas + j), f, s);
		V x = s0 - s;
		x = x > -80 ? x : all(-80);
		V k = x * 1.44269504f + 12582912.f - 12582912.f; // to the nearest
		V r = x - k * 0.693359375f + k * 2.12194440e-4f;
		V e = 1 + r * (1 + r * (1.f / 2 + r * (1.f / 6 + r * (1.f / 24 + r * (1.f / 120 + r * (1.f / 720))))));
		V t = (V)((I)e + (__builtin_convertvector(k, I) << 23)) * (f * scale);
		store(theta + j, where(t >= 1e-18f, t));
	}
}

// Returns the change of γ, and drops topics.
static float update() {
	V change{}, lane;
	I dropped{};
	for (int i = 0; i < L; i++) lane[i] = i;
	for (int j = 0; j < n; j += L) {
		V share = load(theta + j) * load(sums + j), next = alpha + share, d = next - load(gammas + j);
		I inside = lane < (float)(n - j), low = share < 1e-6f;
		change += where(inside, d > 0 ? d : -d);
		dropped |= inside & low;
		store(gammas + j, where(~low, next));
	}
	if (fold((V)(dropped & 0x3f800000), plus) != 0) {
		int kept = 0;
		for (int j = 0; j < n; j++) {
			float g = gammas[j];
			live[kept] = live[j], gammas[kept] = g;
			kept += g != 0;
		}
		std::fill(live + kept, live + n, 0);
		n = kept;
	}
	return fold(change, plus);
}

static int infer(const Document &d, float tolerance, int iterations) {
	gather(d);
	n = topics;
	for (int k = 0; k < topics; k++) live[k] = k, theta[k] = gammas[k] = 1;
	int done = 0;
	while (done < iterations) {
		over<EXPLAIN>();
		over<SHARE>();
		float change = update();
		done++;
		if (n == 0) return done;
		expectWeights();
		if (change <= tolerance * topics) break;
	}
	return done;
}

template <class T> static void read(FILE *from, T *to, size_t count) {
	if (fread(to, sizeof(T), count, from) != count) {
		fprintf(stderr, "the dump ends early\n");
		exit(1);
	}
}

int main(int argc, char **argv) {
	FILE *from = argc == 5 ? fopen(argv[1], "rb") : nullptr;
	if (!from) {
		fprintf(stderr, "usage: estep DUMP TOLERANCE ITERATIONS REPETITIONS\n");
		return 1;
	}
	int32_t head[3];
	read(from, head, 3);
	read(from, &alpha, 1);
	topics = head[0], words = head[1], stride = (topics + 3) / 4 * 4;
	table.assign((size_t)(words + 1) * stride, 1);
	for (int w = 0; w < words; w++) read(from, &table[(size_t)w * stride], topics);
	std::vector<Document> documents(head[2]);
	for (auto &d : documents) {
		int32_t size;
		read(from, &size, 1);
		d.ids.resize(size), d.counts.resize(size);
		read(from, d.ids.data(), size);
		read(from, d.counts.data(), size);
	}
	int padded = (topics + L - 1) / L * L;
	theta = aligned<float>(padded), sums = aligned<float>(padded), gammas = aligned<float>(padded), live = aligned<int32_t>(padded);
	std::fill(live, live + padded, 0);
	double best = 0, steps = 0, mean = 0;
	for (int repetition = 0; repetition < atoi(argv[4]); repetition++) {
		steps = mean = 0;
		clock_t began = clock();
		for (auto &d : documents) {
			steps += infer(d, atof(argv[2]), atoi(argv[3]));
			for (int j = 0; j < n; j++) mean += (double)gammas[j] * live[j] / topics;
		}
		best = std::max(best, documents.size() / (double(clock() - began) / CLOCKS_PER_SEC));
	}
	printf("%.0f docs/s %.3f iterations %.6f mean\n", best, steps / documents.size(), mean / documents.size());
}
