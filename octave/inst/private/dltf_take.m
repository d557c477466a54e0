% [value, options] = dltf_take (options, name, default): removes a field that is not an option of the library.
function [value, options] = dltf_take (options, name, default)
  value = default;
  if (isfield (options, name))
    value = options.(name);
    options = rmfield (options, name);
  end
end
