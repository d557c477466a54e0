/* Structs that a program shares with the library. Either side may have been compiled with older headers, in
 * which a struct is shorter: new fields are added at the end only. Every public function that reads or fills
 * such a struct is told its size in the program, and uses these functions. */
#ifndef DL_BASE_SIZED_H
#define DL_BASE_SIZED_H

#include "base/options.h"

/* Copies what both sides know and sets the rest of `own` to 0. Fails if the program sets a field that the
 * library does not have, or if the size is impossible. `type`: the name of the struct, for the message. */
dltf_status dl_struct_read(void *own, size_t own_size, const void *given, size_t size, const char *type);

/* Copies what both sides know and sets the rest of `out` to 0. */
void dl_struct_write(void *out, size_t size, const void *own, size_t own_size);

#define DL_READ_STRUCT(type, own, given, size) dl_struct_read((own), sizeof(type), (given), (size), #type)
#define DL_WRITE_STRUCT(type, out, size, own) dl_struct_write((out), (size), (own), sizeof(type))

/* Structs of options begin with their size in the program. Fields that the program does not have get their
 * defaults; NULL `given`: all of them. `own` is the struct of the table. */
dltf_status dl_options_read(dl_option_table table, const char *task, const void *given, void *own);
#define DL_READ_OPTIONS(task, given, own) dl_options_read(dl_##task##_option_table(), #task, (given), (own))

void dl_options_write(dl_option_table table, void *out, size_t size, const void *own);
/* The defaults. */
void dl_options_init(dl_option_table table, void *options, size_t size);

#endif
