// The console for a session: providers, and the choice between sign-in, a workspace, and neither.
import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { lazy, type ReactNode, Suspense, useState } from "react"
import { slug } from "./api/client.ts"
import { queryClient } from "./api/queries.ts"
import type { Session } from "./api/session.ts"
import { ProblemPage } from "./parts/Problem.tsx"
import { router } from "./routes.tsx"
import { membershipIn, SessionProvider } from "./session.tsx"
import { cssVariablesResolver, theme } from "./theme.ts"
import { type Language, WordsProvider } from "./words/Words.tsx"

const SignIn = lazy(async () => ({ default: (await import("./account/SignIn.tsx")).SignIn }))
const Notifications = lazy(async () => ({ default: (await import("@mantine/notifications")).Notifications }))
const NoWorkspace = lazy(async () => ({ default: (await import("./account/NoWorkspace.tsx")).NoWorkspace }))
const SignInAgain = lazy(async () => ({ default: (await import("./account/SignInAgain.tsx")).SignInAgain }))

interface Props {
  readonly nonce: string
  readonly language: Language
  readonly first: Session | null | { readonly error: unknown }
}

const scheme = localStorageColorSchemeManager({ key: "tentpole-scheme" })

/** The address of a workspace; the one that was used last, else the first one. */
const homeOf = ({ memberships }: Session): string | null => {
  const last = localStorage.getItem("tentpole-workspace")
  const found = memberships.find((each) => each.slug === last) ?? memberships[0]
  return found === undefined ? null : `/w/${found.slug}`
}

interface SignedProps {
  readonly session: Session
  readonly onSession: (session: Session) => void
}

const Signed = ({ onSession, session }: SignedProps) => {
  const membership = membershipIn(session)
  const home = homeOf(session)
  if (membership === null) {
    if (slug === "" && home !== null) {
      location.replace(home)
      return null
    }
    return <NoWorkspace session={session} />
  }
  localStorage.setItem("tentpole-workspace", slug)
  return (
    <SessionProvider session={session} membership={membership} onSession={onSession}>
      <RouterProvider router={router} />
      <SignInAgain session={session} />
    </SessionProvider>
  )
}

const content = (first: Props["first"], onSession: (session: Session) => void): ReactNode => {
  if (first === null) return <SignIn onSession={onSession} />
  return "error" in first ? <ProblemPage error={first.error} /> : <Signed session={first} onSession={onSession} />
}

export const App = ({ first, language, nonce }: Props) => {
  const [session, setSession] = useState(first)
  // A link signs its person in, also above another session. A sign-in that failed says so.
  const shown = /^#(?:link|oidc)=/.test(location.hash) ? null : session
  const onSession = (next: Session) => {
    history.replaceState(null, "", location.pathname + location.search)
    setSession(next)
  }
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={scheme}
      cssVariablesResolver={cssVariablesResolver}
      getStyleNonce={() => nonce}
    >
      <WordsProvider first={language}>
        <QueryClientProvider client={queryClient}>
          <Suspense fallback={null}>{content(shown, onSession)}</Suspense>
          <Suspense fallback={null}>
            <Notifications position="bottom-right" />
          </Suspense>
        </QueryClientProvider>
      </WordsProvider>
    </MantineProvider>
  )
}
