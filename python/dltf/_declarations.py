"""The functions of bind.h that the package calls: result and arguments.

``tests/test_declarations.py`` compares this table with the headers.
"""
from __future__ import annotations

import ctypes

__all__ = ["FUNCTIONS", "REPORT"]

status = ctypes.c_int
number = ctypes.c_int
int64 = ctypes.c_int64
size = ctypes.c_size_t
real = ctypes.c_double
text = ctypes.c_char_p
pointer = ctypes.c_void_p  # an object, an array, or the place for a result

# int report(context, task, done, total, stage, index, error, state)
REPORT = ctypes.CFUNCTYPE(ctypes.c_int, pointer, text, int64, int64, text, int64, real, pointer)

FUNCTIONS: dict[str, tuple] = {
    # errors, version, progress
    "dltf_bind_last_error": (status, pointer, pointer, pointer),
    "dltf_version": (text,),
    "dltf_version_number": (number,),
    "dltf_build": (text,),
    "dltf_bind_watch": (None, REPORT, pointer),
    # values and objects
    "dltf_values_name": (text, pointer, number, pointer),
    "dltf_values_number": (status, pointer, text, pointer),
    "dltf_values_text": (status, pointer, text, pointer),
    "dltf_values_array": (status, pointer, text, pointer, pointer, pointer, pointer),
    "dltf_values_new": (status, pointer),
    "dltf_values_set_number": (status, pointer, text, real),
    "dltf_values_set_text": (status, pointer, text, text),
    "dltf_values_set_array": (status, pointer, text, text, int64, int64, pointer),
    "dltf_values_free": (None, pointer),
    "dltf_bind_get": (status, text, pointer, pointer),
    "dltf_bind_new": (status, text, pointer, pointer),
    "dltf_bytes_free": (None, pointer),
    # options
    "dltf_options_new": (status, text, pointer),
    "dltf_options_set": (status, pointer, text, text),
    "dltf_options_free": (None, pointer),
    # data
    "dltf_array_borrow": (status, pointer, text, int64, int64, int64, int64, pointer),
    "dltf_array_borrow_csr": (status, int64, int64, int64, pointer, pointer, text, pointer, text, pointer),
    "dltf_array_free": (None, pointer),
    "dltf_bind_codes_new": (status, pointer, pointer),
    "dltf_codes_free": (None, pointer),
    # models
    "dltf_model_load": (status, text, pointer),
    "dltf_model_save": (status, pointer, text),
    "dltf_model_read": (status, pointer, int64, pointer),
    "dltf_model_write": (status, pointer, pointer, pointer),
    "dltf_model_import": (status, text, real, pointer),
    "dltf_model_export": (status, pointer, text, text),
    "dltf_model_note": (text, pointer, text),
    "dltf_model_note_name": (text, pointer, number),
    "dltf_model_free": (None, pointer),
    # learning
    "dltf_bind_learner_new": (status, pointer, pointer, pointer, pointer),
    "dltf_bind_learner_run": (status, pointer, REPORT, pointer, pointer),
    "dltf_bind_learner_quality": (status, pointer, pointer, pointer),
    "dltf_learner_model": (status, pointer, pointer),
    "dltf_learner_free": (None, pointer),
    "dltf_bind_online_new": (status, int64, pointer, pointer, pointer),
    "dltf_bind_online_add": (status, pointer, pointer),
    "dltf_online_model": (status, pointer, pointer),
    "dltf_online_write": (status, pointer, pointer, pointer),
    "dltf_online_read": (status, pointer, int64, int64, pointer),
    "dltf_online_free": (None, pointer),
    # coding
    "dltf_bind_encode": (status, pointer, pointer, pointer, REPORT, pointer, pointer),
    "dltf_decode": (status, pointer, pointer, pointer),
    "dltf_bind_reconstruction_measure": (status, pointer, pointer, pointer, int64, pointer),
    "dltf_bind_evaluate": (status, pointer, pointer, pointer, REPORT, pointer, pointer),
    "dltf_bind_top_find": (status, pointer, pointer, pointer, pointer, REPORT, pointer, pointer),
    "dltf_top_free": (None, pointer),
    # certificates
    "dltf_bind_model_certify": (status, pointer, pointer, pointer),
    "dltf_bind_samples_certify": (status, pointer, pointer, pointer, pointer, pointer, REPORT, pointer, pointer, size),
    "dltf_flag_name": (text, number),
    # clusters
    "dltf_bind_clusters_train": (status, pointer, pointer, REPORT, pointer, pointer),
    "dltf_bind_clusters_train_from": (status, pointer, pointer, pointer, REPORT, pointer, pointer),
    "dltf_bind_centers_assign": (status, pointer, pointer, number, int64, REPORT, pointer, pointer, pointer),
    "dltf_clusters_free": (None, pointer),
    "dltf_bind_landmarks_train": (status, pointer, pointer, REPORT, pointer, pointer),
    "dltf_bind_landmarks_apply": (status, pointer, pointer, int64, pointer),
    "dltf_landmarks_free": (None, pointer),
    # hashes and search
    "dltf_bind_hasher_train": (status, pointer, pointer, REPORT, pointer, pointer),
    "dltf_bind_hasher_apply": (status, pointer, pointer, int64, REPORT, pointer, pointer),
    "dltf_hasher_load": (status, text, pointer),
    "dltf_hasher_save": (status, pointer, text),
    "dltf_hasher_read": (status, pointer, int64, pointer),
    "dltf_hasher_write": (status, pointer, pointer, pointer),
    "dltf_hasher_free": (None, pointer),
    "dltf_bind_index_new": (status, pointer, pointer),
    "dltf_bind_index_add_tables": (status, pointer, int64, REPORT, pointer),
    "dltf_index_load": (status, text, pointer),
    "dltf_index_save": (status, pointer, text),
    "dltf_index_free": (None, pointer),
    "dltf_bind_search": (status, pointer, pointer, pointer, REPORT, pointer, pointer),
    "dltf_neighbours_free": (None, pointer),
    # images
    "dltf_image_new": (status, int64, int64, int64, number, pointer),
    "dltf_image_pixels": (pointer, pointer),
    "dltf_image_free": (None, pointer),
    "dltf_bind_denoise": (status, pointer, pointer, pointer, REPORT, pointer, pointer, pointer),
}
