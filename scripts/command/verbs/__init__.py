"""What one types behind `tarsus`, a file each."""
