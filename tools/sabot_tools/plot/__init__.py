"""Plot: pictures as SVG or PNG."""
