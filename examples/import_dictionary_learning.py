#!/usr/bin/env python3
"""dictionary_learning (config.json and ae.pt of AutoEncoderTopK or BatchTopKSAE) to a folder for `dltf import`.

Usage: import_dictionary_learning.py FOLDER OUTPUT_FOLDER. Needs torch and safetensors.
"""
import json
import pathlib
import sys

import torch
from safetensors.torch import save_file

source, target = map(pathlib.Path, sys.argv[1:3])
kind = json.loads((source / "config.json").read_text())["trainer"]["dict_class"]
if kind not in ("AutoEncoderTopK", "BatchTopKSAE"):
    sys.exit(f"{source}/config.json: dict_class is {kind}: expected AutoEncoderTopK or BatchTopKSAE")
state = torch.load(source / "ae.pt", map_location="cpu", weights_only=True)
m, n = state["encoder.weight"].shape
cfg = {"architecture": "topk", "d_in": n, "d_sae": m, "k": int(state["k"]), "apply_b_dec_to_input": True}
weights = {"W_enc": state["encoder.weight"].T, "b_enc": state["encoder.bias"], "W_dec": state["decoder.weight"].T, "b_dec": state["b_dec"]}
if kind == "BatchTopKSAE":  # one threshold for all latents, found in training
    cfg["architecture"], weights["threshold"] = "jumprelu", torch.full((m,), float(state["threshold"]))
target.mkdir(parents=True, exist_ok=True)
save_file({name: tensor.float().contiguous() for name, tensor in weights.items()}, target / "sae_weights.safetensors")
(target / "cfg.json").write_text(json.dumps(cfg))
