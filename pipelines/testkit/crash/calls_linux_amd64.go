package crash

import "golang.org/x/sys/unix"

// A form says where a system call has the values for a Call. Each field is an argument's number, counted from 1; 0
// means that the call has no such argument.
type form struct {
	name string
	file int // a descriptor
	// folder is the descriptor of the folder that path is relative to; 0: the folder where the program runs
	folder, path   int
	folder2, path2 int
	count, flags   int
}

// forms has the calls that read, change, lock or sync files, and the call that ends the process.
var forms = map[uint64]form{
	unix.SYS_OPEN:    {name: "open", path: 1, flags: 2},
	unix.SYS_OPENAT:  {name: "openat", folder: 1, path: 2, flags: 3},
	unix.SYS_OPENAT2: {name: "openat2", folder: 1, path: 2},
	unix.SYS_CREAT:   {name: "creat", path: 1},
	unix.SYS_CLOSE:   {name: "close", file: 1},
	unix.SYS_FLOCK:   {name: "flock", file: 1},

	unix.SYS_READ:    {name: "read", file: 1},
	unix.SYS_PREAD64: {name: "pread64", file: 1},

	unix.SYS_WRITE:           {name: "write", file: 1, count: 3},
	unix.SYS_PWRITE64:        {name: "pwrite64", file: 1, count: 3},
	unix.SYS_WRITEV:          {name: "writev", file: 1},
	unix.SYS_PWRITEV:         {name: "pwritev", file: 1},
	unix.SYS_PWRITEV2:        {name: "pwritev2", file: 1},
	unix.SYS_SENDFILE:        {name: "sendfile", file: 1},
	unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", file: 3},
	unix.SYS_SPLICE:          {name: "splice", file: 3},
	unix.SYS_FALLOCATE:       {name: "fallocate", file: 1},
	unix.SYS_FTRUNCATE:       {name: "ftruncate", file: 1},
	unix.SYS_TRUNCATE:        {name: "truncate", path: 1},

	unix.SYS_FSYNC:     {name: "fsync", file: 1},
	unix.SYS_FDATASYNC: {name: "fdatasync", file: 1},

	unix.SYS_MKDIR:     {name: "mkdir", path: 1},
	unix.SYS_MKDIRAT:   {name: "mkdirat", folder: 1, path: 2},
	unix.SYS_RMDIR:     {name: "rmdir", path: 1},
	unix.SYS_UNLINK:    {name: "unlink", path: 1},
	unix.SYS_UNLINKAT:  {name: "unlinkat", folder: 1, path: 2},
	unix.SYS_RENAME:    {name: "rename", path: 1, path2: 2},
	unix.SYS_RENAMEAT:  {name: "renameat", folder: 1, path: 2, folder2: 3, path2: 4},
	unix.SYS_RENAMEAT2: {name: "renameat2", folder: 1, path: 2, folder2: 3, path2: 4},
	unix.SYS_LINK:      {name: "link", path: 1, path2: 2},
	unix.SYS_LINKAT:    {name: "linkat", folder: 1, path: 2, folder2: 3, path2: 4},
	unix.SYS_SYMLINK:   {name: "symlink", path: 2},
	unix.SYS_SYMLINKAT: {name: "symlinkat", folder: 2, path: 3},

	unix.SYS_MMAP:           {name: "mmap", file: 5, flags: 4},
	unix.SYS_IO_URING_SETUP: {name: "io_uring_setup"},
	unix.SYS_EXIT_GROUP:     {name: "exit_group"},
}
