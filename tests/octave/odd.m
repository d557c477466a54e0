% Odd arguments of every command of the gateway and every function of the package: a result or an error, never a crash.
% odd (COUNT): combinations for each function
function odd (count)
  model = struct ("dictionary", eye (3), "k", 1);
  values = {[], {}, "", "text", struct(), NaN, Inf, -1, 0, 2, 1e300, zeros(0, 3), zeros(3, 0), single([]), sparse(3, 3), ...
            sparse([]), sparse(0, 3), sparse(eye (3)), sparse(true (3)), true, int8(5), int64(7), 1i, complex(single (eye (3)), 1), ...
            @sin, ones(2, 2, 2), {1}, uint8(1:3), uint8(eye (3)), eye(3), single(eye (3)), model, [model model], ...
            struct("dictionary", {{}}), struct("dictionary", "x", "k", 1), struct("dictionary", zeros (3), "k", 1), ...
            struct("dictionary", eye (3), "k", 1e10), struct("dictionary", eye (3), "k", 1, "bias", 1), struct("k", 2), ...
            struct("bytes", uint8 (1:9)), struct("bits", 8, "method", "lsh"), struct("clusters", 2), struct("m", {1, 2}), ...
            1:3, NaN(3), Inf(3), realmax * eye(3), 1e-320 * eye(3), ["ab"; "cd"], sparse([NaN 1 0]), "/no-such-folder/x.npy"};
  none = struct ();
  X = [1 0 0 2; 0 3 0 1; 0 0 1 1];
  hasher = dltf_hash_train (X, "bits", 8, "method", "lsh");
  H = uint8 ([1 2 3]);
  train = struct ("m", 3, "k", 1, "method", "ksvd", "iterations", 1);
  commands = {{"train", X, model, train}, {"encode", model, X, none}, {"decode", model, sparse(X)}, {"measure", model, X, sparse(X)}, ...
              {"dictionary", X}, {"certify", model, X, sparse(X), sparse(X), none}, {"synthetic", struct("n", 3, "m", 4, "k", 1, "samples", 5)}, ...
              {"match", eye(3), eye(3), sparse(X), sparse(X)}, {"kmeans", X, X(:, 1:2), none}, ...
              {"denoise", single(magic (16)), [], struct("sigma", 9, "stages", 1)}, {"hash_train", X, struct("bits", 8, "method", "lsh")}, ...
              {"hash_encode", hasher, X, 0}, {"hash_search", H, H, struct("k", 1)}, {"batch_omp", X, ones(1, 4), eye(3), 2, 0.1}, ...
              {"model_load", "x"}, {"model_save", model, "/no-such-folder/x"}, {"hasher_load", "x"}, ...
              {"hasher_save", hasher, "/no-such-folder/x"}, {"codes_load", "x"}, {"codes_save", sparse(X), "/no-such-folder/x"}, ...
              {"matrix_load", "x"}, {"matrix_save", X, "/no-such-folder/x.npy"}, {"options", "train"}, {"version"}};
  functions = {"dltf_train", "dltf_encode", "dltf_decode", "dltf_evaluate", "dltf_certify", "dltf_synthetic", "dltf_match", "dltf_kmeans", ...
               "dltf_denoise", "dltf_hash_train", "dltf_hash_encode", "dltf_hash_search", "dltf_options", "dltf_load", "ksvd", ...
               "ksvddenoise", "omp", "omp2"};
  warning ("off", "all");
  rand ("seed", 1);
  calls = results = 0;
  for c = 1:numel (commands) % one odd argument
    for place = 1:numel (commands{c})
      for i = 1:numel (values)
        given = commands{c};
        given{place} = values{i};
        if (! any (cellfun (@(x) ischar (x) && rows (x) == 1 && any (strcmp (x, {"", "text"})), given(2:end)))) # names of files
          results += attempt ("dltf_mex", given);
          calls++;
        end
      end
    end
  end
  for f = 1:numel (functions) % only odd arguments
    for i = 1:count
      given = values(ceil (rand (1, ceil (5 * rand ())) * numel (values)));
      results += attempt (functions{f}, given);
      calls++;
    end
  end
  printf ("octave: %d odd calls, %d of them with a result, no crash\n", calls, results);
end

% Errors that are neither ours nor Octave's complaints about arguments would hide a defect, such as a wrong name in our code.
function done = attempt (name, given)
  done = false;
  try
    x = feval (name, given{:});
    done = true;
  catch problem
    if (strcmp (problem.identifier, "Octave:undefined-function") && isempty (strfind (problem.message, "binary operator")))
      rethrow (problem);
    end
  end
end
