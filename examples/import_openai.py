#!/usr/bin/env python3
"""OpenAI's sparse autoencoders (one .pt file) to a folder for `dltf import`. Needs torch and safetensors.

Usage: import_openai.py FILE.pt OUTPUT_FOLDER
"""
import json
import pathlib
import sys

import torch
from safetensors.torch import save_file

state, target = torch.load(sys.argv[1], map_location="cpu", weights_only=True), pathlib.Path(sys.argv[2])
m, n = state["encoder.weight"].shape
topk = "TopK" in str(state.get("activation", ""))
cfg = {"architecture": "topk" if topk else "standard", "d_in": n, "d_sae": m, "apply_b_dec_to_input": True,
       "normalize_activations": "layer_norm" if topk else "none"} | ({"k": int(state["activation_state_dict"]["k"])} if topk else {})
weights = {"W_enc": state["encoder.weight"].T, "b_enc": state["latent_bias"], "W_dec": state["decoder.weight"].T, "b_dec": state["pre_bias"]}
target.mkdir(parents=True, exist_ok=True)
save_file({name: tensor.float().contiguous() for name, tensor in weights.items()}, target / "sae_weights.safetensors")
(target / "cfg.json").write_text(json.dumps(cfg))
