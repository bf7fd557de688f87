// The frame around every screen: side, header, bars above the content, keys, and the focus after a change of screen.
import { Loader } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { Outlet, useRouterState } from "@tanstack/react-router"
import { lazy, Suspense, useEffect, useState, type ReactNode } from "react"
import { useWords } from "../words/Words.tsx"
import { Announcer } from "./Announcer.tsx"
import { Header } from "./Header.tsx"
import { onPalette, openPalette, useGoKeys, useKeys } from "./keys.ts"
import { HeldBar, SideNotes } from "./Notices.tsx"
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
  useKeys({ "mod+K": openPalette })
  // The first wish loads the palette, which opens itself then and hears the next ones.
  const [isPaletteWanted, setPaletteWanted] = useState(false)
  useEffect(() => onPalette(() => setPaletteWanted(true)), [])
  return (
    <div className="shell" data-open={isMenuOpen || undefined}>
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <header className="bar">
        <Header isMenuOpen={isMenuOpen} onMenu={menu.toggle} onHelp={help.open} />
      </header>
      <nav className="side" aria-label={words.menu}>
        <Side />
        <SideNotes />
      </nav>
      <main id="content" tabIndex={-1} className="content">
        <OfflineBar />
        <HeldBar />
        <div className="screen">
          <Suspense fallback={<Loader size="sm" aria-label={words.loading} />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
      <Announcer />
      <Suspense fallback={null}>
        {isPaletteWanted && <Palette onHelp={help.open} />}
        {isHelpOpen && <KeysDialog onClose={help.close} />}
      </Suspense>
    </div>
  )
}
