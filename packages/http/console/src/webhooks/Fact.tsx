// A line of facts: its name and its value, with a button that copies the value where programs need it.
import "./webhooks.css"
import type { ReactNode } from "react"
import { CopyButton } from "../parts/Copy.tsx"

interface Props {
  readonly label: string
  readonly children: ReactNode
}

export const Fact = ({ children, label }: Props) => (
  <div className="field">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

export const CopiedFact = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <Fact label={label}>
    <span className="copied">
      <code>{value}</code>
      <CopyButton value={value} label={label} />
    </span>
  </Fact>
)
