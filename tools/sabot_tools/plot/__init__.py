"""Plot: draws pictures as SVG or PNG."""
