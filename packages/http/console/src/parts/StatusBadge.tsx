// A status: a word with a dot. The colour alone says nothing.
export type Tone = "good" | "busy" | "warning" | "bad" | "quiet"

interface Props {
  readonly tone: Tone
  readonly label: string
}

export const StatusBadge = ({ label, tone }: Props) => (
  <span className="status" data-tone={tone}>
    {label}
  </span>
)
