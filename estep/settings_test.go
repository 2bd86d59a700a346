package main

import (
	"encoding/hex"
	"reflect"
	"testing"

	"privpipe/estep/gibbs"
	"privpipe/estep/job"
	"privpipe/estep/latent"
	"privpipe/estep/lda"
	"privpipe/estep/mean"
	"privpipe/pipelines/wire"
)

// TestSettings: the hash differs for each option that contributions depend on, and for each model. Other versions of
// this program have the same hash, since their workers are in the same run.
func TestSettings(t *testing.T) {
	base := lda.Options{
		Tolerance: 1e-3, Iterations: 6, Shape: latent.Shape{TopTopics: 5, Weight: latent.Once, Norm: 1},
		Length: lda.Length{Words: 9},
	}
	hash := func(o lda.Options) string {
		t.Helper()
		b, err := job.Settings(wire.Newest, "lda", lda.New(o), 0)
		if err != nil {
			t.Fatal(err)
		}
		return hex.EncodeToString(b)
	}
	seen := map[string]string{hash(base): "none"}
	changed := base
	vary(t, reflect.ValueOf(&changed).Elem(), seen, func() string { return hash(changed) })
	if len(seen) != 9 {
		t.Errorf("%d hashes, want those of 8 options and of the base", len(seen))
	}
	chain := gibbs.Options{Sweeps: 2, BurnIn: 1, Statistic: gibbs.Expected, Draws: 1, Shape: base.Shape}
	sampled := func() string {
		b, err := job.Settings(wire.Version, "lda", gibbs.New(chain, nil), 0)
		if err != nil {
			t.Fatal(err)
		}
		return hex.EncodeToString(b)
	}
	seen[sampled()] = "sampler"
	vary(t, reflect.ValueOf(&chain).Elem(), seen, sampled)
	if len(seen) != 27 {
		t.Errorf("%d hashes, want those of 17 options of the sampler and of its base, too", len(seen))
	}
	other, err := job.Settings(wire.Version, "words", mean.NewWords(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if with, known := seen[hex.EncodeToString(other)]; known {
		t.Errorf("the hash of another model is that with another %s", with)
	}

	stale, err := job.Settings(wire.Version, "words", mean.NewWords(), 1)
	if err != nil || string(stale) == string(other) {
		t.Errorf("the hash with stale parameters is that with new ones, %v", err)
	}

	// SHA-256 of {"model":"words","settings":null,"wire":1}, by sha256sum.
	const want = "900a133e020a3df5a13ccdab3cc515563811ac725feb2053cfde521ebb407f8d"
	if got := hex.EncodeToString(other); got != want {
		t.Errorf("hash of words %s, want %s", got, want)
	}
	// SHA-256 of the two lines below, joined without the line's end, by sha256sum.
	// {"model":"lda","settings":{"binary":true,"iterations":6,"length":9,"norm":1,
	// "resample":false,"tolerance":0.001,"top topics":5},"wire":3}
	const wantBase = "85029df9f1f7ff5a52229d39099fcdb79af3cb3e04fe23b76e5a57196935b6be"
	if got := hash(base); got != wantBase {
		t.Errorf("hash of lda %s, want %s", got, wantBase)
	}
}

// vary changes each option in turn. Each must give a hash that is not among those seen.
func vary(t *testing.T, v reflect.Value, seen map[string]string, hash func() string) {
	t.Helper()
	base := hash()
	var change func(name string, v reflect.Value)
	change = func(name string, v reflect.Value) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				change(v.Type().Field(i).Name, v.Field(i))
			}
			return
		case reflect.Int:
			v.SetInt(v.Int() + 1)
		case reflect.Float64:
			v.SetFloat(v.Float()*1.5 + 1)
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.String:
			v.SetString(v.String() + "!")
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			if name == "Later" {
				break
			}
			if name != "Unigram" || hash() != base { // the baseline, only for scores
				t.Errorf("%s changes the hash, or is new to this test", name)
			}
			v.Set(before)
			return
		default:
			t.Errorf("%s is of a kind that this test does not change", name)
		}
		if other, known := seen[hash()]; known {
			t.Errorf("the hash with another %s is that with another %s", name, other)
		}
		seen[hash()] = name
		v.Set(before)
	}
	change("", v)
}
