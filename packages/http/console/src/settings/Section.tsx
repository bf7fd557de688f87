// The frame of a section of the settings: the list of sections, and the head and the content of this one.
import { NativeSelect, NavLink } from "@mantine/core"
import { Link, useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { PageHeader } from "../parts/PageHeader.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { useSession } from "../session.tsx"
import { useWords, type Words } from "../words/Words.tsx"

type Name = keyof Words["settings"]["sections"]

/** The sections that every member opens; the others need the role of an owner. */
const forAll: ReadonlyArray<Name> = ["workspace", "fields", "limits", "account"]
const all: ReadonlyArray<Name> = [
  "workspace",
  "sender",
  "brand",
  "consent",
  "fields",
  "limits",
  "members",
  "keys",
  "account",
]

const pathOf = (name: string): string => `/settings/${name}`

const SectionMenu = ({ at }: { readonly at: Name }) => {
  const words = useWords("settings")
  const { may } = useSession()
  const isPhone = useIsPhone()
  const navigate = useNavigate()
  const names = may("owner") ? all : forAll
  if (isPhone) {
    return (
      <NativeSelect
        aria-label={words.section}
        value={at}
        data={names.map((name) => ({ value: name, label: words.sections[name] }))}
        onChange={({ currentTarget }) => void navigate({ to: pathOf(currentTarget.value) })}
      />
    )
  }
  return (
    <nav aria-label={words.title} className="section-menu">
      {names.map((name) => (
        <NavLink
          key={name}
          component={Link}
          to={pathOf(name)}
          label={words.sections[name]}
          active={name === at}
          variant="subtle"
          color="gray"
        />
      ))}
    </nav>
  )
}

interface Props {
  readonly name: Name
  readonly text: ReactNode
  readonly beside?: ReactNode
  readonly actions?: ReactNode
  /** Forms are narrow, tables are wide. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

export const Section = ({ actions, beside, children, isWide = false, name, text }: Props) => {
  const words = useWords("settings")
  return (
    <div className="sections">
      <SectionMenu at={name} />
      <div className={isWide ? "section" : "section narrow"}>
        <PageHeader title={words.sections[name]} beside={beside} text={text} actions={actions} />
        {children}
      </div>
    </div>
  )
}
