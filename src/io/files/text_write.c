/* Atomic writing of text files, for programs that use the library. */
#include "io/files/text_write.h"
#include "io/files/file.h"
#include "io/files/writer.h"

#include <string.h>

dltf_status dl_text_save(const char *text, const char *path) {
    DL_REQUIRE(text, path);
    dl_writer writer = {0};
    dltf_status status = DLTF_OK;
    DL_TRY(dl_writer_open(&writer, path));
    DL_TRY(dl_writer_write(&writer, text, (int64_t)strlen(text)));
    status = dl_writer_commit(&writer);
done:
    dl_writer_abort(&writer);
    return dl_file_result(status, path);
}
