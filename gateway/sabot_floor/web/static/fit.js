// Fit: the largest type with which a part of the page shows everything without scrolling.
import {useEffect, useLayoutEffect, useRef} from "./vendor/preact.js";

const STEP = 0.96; // from one size to the next smaller one

// A ref for an element whose type is set so that nothing overflows, between `least` and `most` times its size.
// On a narrow screen the page scrolls, and the type stays as it is.
export function useFit(least, most) {
  const ref = useRef(null);
  const fit = () => {
    const element = ref.current;
    if (!element) return;
    if (innerWidth < 700) {
      element.style.fontSize = "";
      return;
    }
    // From the largest down: with the size the number of columns changes, so a smaller size may need more room.
    for (let size = most; size >= least; size *= STEP) {
      element.style.fontSize = `${size}rem`;
      if (!overflows(element)) return;
    }
    element.style.fontSize = `${least}rem`;
  };
  useLayoutEffect(fit);
  useEffect(() => {
    addEventListener("resize", fit);
    return () => removeEventListener("resize", fit);
  }, []);
  return ref;
}

function overflows(element) {
  return element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;
}
