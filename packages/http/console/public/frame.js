// Shows the HTML that the console posts. The frame has no origin, and its policy allows no other script.
const shown = () => {
  const links = Array.from(document.links, (link) => link.href)
  parent.postMessage({ height: Math.ceil(document.documentElement.getBoundingClientRect().height), links }, "*")
}

addEventListener("message", (event) => {
  if (event.source !== parent || typeof event.data?.html !== "string") return
  const read = new DOMParser().parseFromString(event.data.html, "text/html")
  // The policy refuses pictures of other hosts; without their addresses the browser does not report each one.
  if (!location.search.includes("pictures")) {
    for (const picture of read.querySelectorAll("img[src]:not([src^='data:' i])")) picture.removeAttribute("src")
  }
  const root = document.adoptNode(read.documentElement)
  document.documentElement.replaceWith(root)
  if (event.data.scheme === "dark" || event.data.scheme === "light") root.style.colorScheme = event.data.scheme
  requestAnimationFrame(shown)
  addEventListener("load", shown, { once: true })
})

// A link must not navigate the frame away from the message.
addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href], area[href]") : null
  if (link === null) return
  event.preventDefault()
  parent.postMessage({ opened: link.getAttribute("href") }, "*")
})

addEventListener("submit", (event) => event.preventDefault())
