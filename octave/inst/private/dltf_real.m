% A real, finite matrix as full doubles, or an error that names it.
function value = dltf_real (value, name)
  if (~(isnumeric (value) || islogical (value)) || ~isreal (value) || ndims (value) ~= 2)
    error ('dltf:argument', '%s: expected a real matrix', name);
  end
  value = full (double (value));
  if (~all (isfinite (value(:))))
    error ('dltf:data', '%s: has NaN or infinite values', name);
  end
end
