% A positive whole number, or an error that names it.
function value = dltf_count (value, name)
  if (~isnumeric (value) || ~isscalar (value) || ~isreal (value) || ~(value >= 1) || value ~= fix (value) || isinf (value))
    error ('dltf:argument', '%s: expected a positive whole number', name);
  end
  value = double (value);
end
