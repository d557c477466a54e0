% -*- texinfo -*-
% @deftypefn {} {} dltf_save (@var{what}, @var{file})
% Write a file for the program @code{dltf}: a model, a hasher, codes (a sparse matrix, .npz) or samples (a full matrix, .npy, .csv or
% .fvecs; a column becomes a row of the file).
% @seealso{dltf_load}
% @end deftypefn

function dltf_save (what, file)
  narginchk (2, 2);
  if (isstruct (what) && isfield (what, 'bytes'))
    dltf_mex ('hasher_save', what, file);
  elseif (isstruct (what))
    dltf_mex ('model_save', what, file);
  elseif (issparse (what))
    dltf_mex ('codes_save', what, file);
  else
    dltf_mex ('matrix_save', what, file);
  end
end

%!error <no-such-folder> dltf_save (eye (3), "/no-such-folder/x.npy")
%!error dltf_save ("text", "x.npy")
