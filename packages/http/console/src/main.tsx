// The entry: loads the language and the session, then shows the sign-in or the workspace of the address.
import "./styles.ts"
import { setNonce } from "get-nonce"
import { createRoot } from "react-dom/client"
import { App } from "./App.tsx"
import { currentSession } from "./api/session.ts"
import { loadWords, preferredLanguage } from "./words/Words.tsx"

// Vite writes the nonce of this answer into the page.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ""
setNonce(nonce)

// After an upgrade the chunks of an open tab may be gone: once, the page is loaded again.
addEventListener("vite:preloadError", () => {
  if (sessionStorage.getItem("tentpole-reloaded") === "yes") return
  sessionStorage.setItem("tentpole-reloaded", "yes")
  location.reload()
})

const element = document.getElementById("root")
if (element === null) throw new Error("index.html has no element #root")

const session = currentSession().catch((error: unknown) => ({ error }))
const language = preferredLanguage()
await loadWords(language, "shell")
createRoot(element).render(<App nonce={nonce} language={language} first={await session} />)
