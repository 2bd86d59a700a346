package fixed

import "math/bits"

// Absolutes returns Σ |z_i| as high·2^64 + low. It is exact for any number of coordinates that fits memory.
func Absolutes(z []int64) (high, low uint64) {
	for _, v := range z {
		var carry uint64
		low, carry = bits.Add64(low, Magnitude(v), 0)
		high += carry
	}
	return high, low
}

// AddCells adds a vector that has all cells, such as another sum. After an error s must not be used.
func (s *Sum) AddCells(cells []int64) error {
	for i, v := range cells {
		if err := s.Add(i, v); err != nil {
			return err
		}
	}
	return nil
}

// Merge adds other to v, cell by cell: other is another contribution of the same unit. The steps may leave ±Limit: see
// Saturate.
func (v *Vector) Merge(other *Vector) error {
	merged := Vector{Cells: make([]int, 0, len(v.Cells)+len(other.Cells)),
		Steps: make([]int64, 0, len(v.Cells)+len(other.Cells))}
	i, j := 0, 0
	for i < len(v.Cells) || j < len(other.Cells) {
		switch {
		case j == len(other.Cells) || i < len(v.Cells) && v.Cells[i] < other.Cells[j]:
			merged.push(v.Cells[i], v.Steps[i])
			i++
		case i == len(v.Cells) || other.Cells[j] < v.Cells[i]:
			merged.push(other.Cells[j], other.Steps[j])
			j++
		default:
			sum, err := add(v.Steps[i], other.Steps[j])
			if err != nil {
				return err
			}
			merged.push(v.Cells[i], sum)
			i, j = i+1, j+1
		}
	}
	*v = merged
	return nil
}

func (v *Vector) push(cell int, steps int64) {
	v.Cells, v.Steps = append(v.Cells, cell), append(v.Steps, steps)
}

// NonNegative sets negative steps to 0.
func NonNegative(steps []int64) {
	for i, z := range steps {
		steps[i] = max(0, z)
	}
}

// Saturate brings all steps within ±Limit.
func Saturate(steps []int64) {
	for i, z := range steps {
		steps[i] = max(-Limit, min(z, Limit))
	}
}

// addChecked is AddTo where cells may overflow. The overflow check is at the end, for the signs of all cells together:
// that is faster.
func (v *Vector) addChecked(s *Sum) error {
	cells, steps, signs := s.Cells, v.Steps[:len(v.Cells)], int64(0)
	for i, cell := range v.Cells {
		sum := cells[cell] + steps[i]
		signs |= wrapped(cells[cell], steps[i], sum)
		cells[cell] = sum
	}
	if signs < 0 {
		return ErrOverflow
	}
	return nil
}
