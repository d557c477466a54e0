% -*- texinfo -*-
% @deftypefn  {} {} dltf_options (@var{task})
% @deftypefnx {} {@var{options} =} dltf_options (@var{task})
% Describe the options of a task: "train", "encode", "denoise", "certify", "cluster", "hash", "search" or "synthetic".
%
% Without an output, prints them. Otherwise a struct with a field for each option: its @code{kind}, @code{default}, @code{min},
% @code{max}, @code{choices}, @code{scope} and @code{help}.
% @end deftypefn

function options = dltf_options (task)
  narginchk (1, 1);
  found = dltf_mex ('options', task);
  if (nargout > 0)
    options = found;
    return;
  end
  names = fieldnames (found);
  for i = 1:numel (names)
    fprintf ('%-14s %s\n', names{i}, found.(names{i}).help);
  end
end

%!test
%! options = dltf_options ("train");
%! assert (options.iterations.kind, "integer");
%! assert (options.theta_start.kind, "real");
%!error <no such|unknown|task> dltf_options ("cook")
%!error <text> dltf_options (1)
