// HTML of the service's own pages: a title and a body, without scripts.

const style =
  "body{font:1.1rem/1.6 system-ui,sans-serif;max-width:32rem;margin:16vh auto;padding:0 1.5rem}h1{font-size:1.6rem}" +
  "button{font:inherit;padding:.6rem 1.2rem;border:2px solid;border-radius:.4rem;cursor:pointer}"

/** The title and the body are HTML. `head` is appended to the head. */
export const plainHtml = (title: string, body: string, head = ""): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">${head}
<title>${title}</title>
<style>${style}</style>
</head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`
