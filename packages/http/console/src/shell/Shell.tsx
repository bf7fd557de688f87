// The frame around every screen: side, header, bars above the content, keys, and the focus after a change of screen.
import { AppShell, Loader } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { Outlet, useRouterState } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, type ReactNode } from "react"
import { useWords } from "../words/Words.tsx"
import { Announcer } from "./Announcer.tsx"
import { Header } from "./Header.tsx"
import { useGoKeys } from "./keys.ts"
import { OfflineBar } from "./OfflineBar.tsx"
import { Side } from "./Side.tsx"

const Palette = lazy(async () => ({ default: (await import("./Palette.tsx")).Palette }))
const KeysDialog = lazy(async () => ({ default: (await import("./KeysDialog.tsx")).KeysDialog }))

export const Shell = (): ReactNode => {
  const words = useWords("shell")
  const [isMenuOpen, menu] = useDisclosure()
  const [isHelpOpen, help] = useDisclosure()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { close } = menu
  useEffect(() => close(), [path, close])
  useGoKeys(help.open)
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 224, breakpoint: "sm", collapsed: { mobile: !isMenuOpen } }}
      padding={0}
    >
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <AppShell.Header>
        <Header isMenuOpen={isMenuOpen} onMenu={menu.toggle} onHelp={help.open} />
      </AppShell.Header>
      <AppShell.Navbar className="side" p="xs" aria-label={words.menu}>
        <Side />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className="content">
        <OfflineBar />
        <div className="screen">
          <Suspense fallback={<Loader size="sm" aria-label={words.loading} />}>
            <Outlet />
          </Suspense>
        </div>
      </AppShell.Main>
      <Announcer />
      <Suspense fallback={null}>
        <Palette onHelp={help.open} />
        {isHelpOpen && <KeysDialog onClose={help.close} />}
      </Suspense>
    </AppShell>
  )
}
