// Fit: the largest type with which a part of the page shows everything; pages where even the smallest shows too little.
import {useEffect, useLayoutEffect, useRef, useState} from "./vendor/preact.js";

// In hundredths of the screen's shorter side, so that a larger screen has larger type. With 5.2 a capital letter has
// 15 mm on a screen of 32 inches, which is read at 5 m.
export const LEAST = 5.2;
const MOST = 9;
const STEP = 0.96; // from one size to the next smaller one
const MOST_MS = 10000; // how long a page stands
const LEAST_MS = 4000;
const ROUND_MS = 60000; // how long a reader waits for the one line that he wants, at most

const scrolls = () => innerWidth < 700; // a narrow screen is in a hand: the page scrolls, and the type stays as it is

// Call `fit` after each drawing, and when the window has another size.
function useDrawn(fit) {
  useLayoutEffect(fit);
  useEffect(() => {
    addEventListener("resize", fit);
    document.fonts?.ready.then(fit);
    return () => removeEventListener("resize", fit);
  }, []);
}

// Set the largest type with which nothing overflows, from the largest down: with the size the lines change, so a
// smaller size may need more room. The smallest is set where nothing fits.
function grow(element, overflows) {
  for (let size = MOST; size > LEAST; size *= STEP) {
    element.style.fontSize = `${size}vmin`;
    if (!overflows()) return;
  }
  element.style.fontSize = `${LEAST}vmin`;
}

// A ref for an element that shows everything at once.
export function useFit() {
  const ref = useRef(null);
  useDrawn(() => {
    const element = ref.current;
    if (!element) return;
    if (scrolls()) element.style.fontSize = "";
    else grow(element, () => element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);
  });
  return ref;
}

// A ref for an element in columns, of which those that fill it are seen at a time: a page; which one, and how many there are.
export function usePages() {
  const ref = useRef(null);
  const [pages, setPages] = useState(1);
  const [turned, setTurned] = useState(0);
  const page = turned % pages;
  useDrawn(() => {
    const element = ref.current;
    if (!element) return;
    if (scrolls()) {
      element.style.fontSize = "";
      setPages(1);
      return;
    }
    grow(element, () => element.scrollWidth > element.clientWidth + 1);
    const step = element.getBoundingClientRect().width + parseFloat(getComputedStyle(element).columnGap);
    setPages(Math.ceil((element.scrollWidth - element.clientWidth) / step - 0.01) + 1);
    element.scrollLeft = page * step;
  });
  useEffect(() => {
    const stands_ms = Math.min(MOST_MS, Math.max(LEAST_MS, ROUND_MS / pages));
    const timer = setInterval(() => setTurned((now) => now + 1), stands_ms);
    return () => clearInterval(timer);
  }, [pages]);
  return [ref, page, pages];
}
