% -*- texinfo -*-
% @deftypefn  {} {@var{X} =} dltf_load (@var{file})
% @deftypefnx {} {@var{found} =} dltf_load (@var{file}, @var{kind})
% Read a file of the program @code{dltf}. @var{kind}: "samples" (default; .npy, .npz, .csv, IDX, CIFAR-10, .fvecs and others, as an n x N
% matrix of singles), "codes" (.npz), "model" or "hasher".
% @seealso{dltf_save}
% @end deftypefn

function found = dltf_load (file, kind)
  narginchk (1, 2);
  if (nargin < 2)
    kind = 'samples';
  end
  switch (kind)
    case 'samples'
      found = dltf_mex ('matrix_load', file);
    case {'codes', 'model', 'hasher'}
      found = dltf_mex ([kind '_load'], file);
    otherwise
      error ('dltf:argument', 'kind: expected samples, codes, model or hasher');
  end
end

%!function check (kind, extension, given)
%!  file = [tempname() extension];
%!  unwind_protect
%!    dltf_save (given, file);
%!    assert (dltf_load (file, kind), given);
%!  unwind_protect_cleanup
%!    unlink (file);
%!  end_unwind_protect
%!endfunction
%!test check ("samples", ".npy", single (magic (4)))
%!test check ("codes", ".npz", sparse ([1 0 2; 0 0 3]))
%!test check ("hasher", ".hasher", dltf_hash_train (eye (8), "bits", 8, "method", "lsh"))
%!test
%! file = [tempname() ".model.safetensors"];
%! model = struct ("dictionary", single (eye (4)), "k", 2, "bias", single ([1; 2; 3; 4]), "mean", single ([4; 3; 2; 1]));
%! unwind_protect
%!   dltf_save (model, file);
%!   loaded = dltf_load (file, "model");
%! unwind_protect_cleanup
%!   unlink (file);
%! end_unwind_protect
%! for name = fieldnames (model)'
%!   assert (loaded.(name{1}), model.(name{1}));
%! end
%! assert (dltf_encode (loaded, magic (4)), dltf_encode (model, magic (4)));
%!error <no-such-file> dltf_load ("/no-such-file.npy")
%!error <kind> dltf_load ("x", "y")
%!error <text> dltf_load (1)
