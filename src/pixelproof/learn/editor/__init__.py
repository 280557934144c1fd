"""Networks for edits of photographs that need torch: `lifting`, a detector and a depth network for proposals."""
