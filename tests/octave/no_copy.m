% Dense samples are not copied: the peak of resident memory during dltf_encode stays below half of their size.
function no_copy ()
  model = struct ("dictionary", eye (64), "k", 1);
  X = single (reshape (mod (1:64 * 500000, 1009), 64, 500000));
  check (X, model);
  check (double (X), model);
  disp ("octave: no copy of dense samples");
end

function check (X, model)
  dltf_encode (model, X(:, 1:1000)); # memory of threads
  file = fopen ("/proc/self/clear_refs", "w");
  fputs (file, "5"); # resets the peak
  fclose (file);
  before = kilobytes ("VmRSS");
  Z = dltf_encode (model, X);
  peak = 1024 * (kilobytes ("VmHWM") - before);
  if (peak > sizeof (X) / 2)
    error ("%d bytes for %d bytes of %s samples", peak, sizeof (X), class (X));
  end
end

function value = kilobytes (field)
  value = str2double (regexp (fileread ("/proc/self/status"), [field ":\\s*(\\d+)"], "tokens", "once"){1});
end
