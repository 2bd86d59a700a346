package export

import (
	"encoding/binary"
	"io"
	"math"
)

// A pickle writes a Python object for pickle.load, in protocol 4 (Python's Lib/pickletools.py describes each opcode).
// Each method pushes an object on the reader's stack, or replaces the top objects by one. The first error of the
// underlying writer is kept, and nothing is written after it.
type pickle struct {
	w   io.Writer
	err error
}

func (p *pickle) write(b ...byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

func (p *pickle) begin() { p.write(0x80, 4) }
func (p *pickle) end() error {
	p.write('.')
	return p.err
}

// name pushes the object that the module knows by this name.
func (p *pickle) name(module, name string) { p.write([]byte("c" + module + "\n" + name + "\n")...) }

func (p *pickle) none()  { p.write('N') }
func (p *pickle) false() { p.write(0x89) }
func (p *pickle) number(n int32) {
	p.write(binary.LittleEndian.AppendUint32([]byte{'J'}, uint32(n))...)
}
func (p *pickle) float(x float64) {
	p.write(binary.BigEndian.AppendUint64([]byte{'G'}, math.Float64bits(x))...)
}
func (p *pickle) text(s string) {
	p.write(append(binary.LittleEndian.AppendUint32([]byte{'X'}, uint32(len(s))), s...)...)
}

// tuple makes a tuple of the top n objects, at most 3.
func (p *pickle) tuple(n byte) { p.write(0x84 + n) }

// call replaces a function and the tuple of its arguments by the function's result.
func (p *pickle) call() { p.write('R') }

// dict pushes a dict. items pushes its content: a key, its value, and so on.
func (p *pickle) dict(items func()) {
	p.write('}', '(')
	items()
	p.write('u')
}

// object pushes an object with this class. attributes pushes the names and values of its attributes.
func (p *pickle) object(module, class string, attributes func()) {
	p.name(module, class)
	p.write(')', 0x81) // cls.__new__(cls)
	p.dict(attributes)
	p.write('b')
}

// partial pushes functools.partial of a function and one argument. argument pushes the argument.
func (p *pickle) partial(module, function string, argument func()) {
	p.name("functools", "partial")
	p.name(module, function)
	argument()
	p.tuple(2)
	p.call()
}

// floats pushes numpy.ndarray(shape, "<f8", bytes). Such an array cannot be changed in place, as bytes cannot. NumPy
// has had this name since its first version. The names in NumPy's own pickles differ between NumPy 1 and 2.
func (p *pickle) floats(cells []float64, shape ...int32) {
	p.name("numpy", "ndarray")
	for _, n := range shape {
		p.number(n)
	}
	p.tuple(byte(len(shape)))
	p.text("<f8")
	p.write(binary.LittleEndian.AppendUint64([]byte{0x8e}, 8*uint64(len(cells)))...)
	b := make([]byte, 0, 1<<16)
	for i, x := range cells {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		if len(b) == cap(b) || i == len(cells)-1 {
			p.write(b...)
			b = b[:0]
		}
	}
	p.tuple(3)
	p.call()
}
