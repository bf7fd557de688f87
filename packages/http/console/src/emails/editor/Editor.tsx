// The screen of an email or template while its fields and HTML load, and while the AI writes its first version.
import { Skeleton } from "@mantine/core"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { BackLink } from "../../parts/BackLink.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { useWords } from "../../words/Words.tsx"
import { type Kind, stateTones } from "../written.ts"
import { designedOf, useWritten } from "./calls.ts"
import { OpenEditor } from "./OpenEditor.tsx"
import { Writing } from "./Writing.tsx"

interface Props {
  readonly kind: Kind
  readonly id: string
  readonly back: { readonly to: string; readonly label: string }
}

export const Editor = ({ back: { label, to }, id, kind }: Props) => {
  const words = useWords("emails")
  const found = useWritten(kind, id)
  const version = found.data?.version ?? 0
  const content = useQuery({
    ...designedOf(kind, id, version),
    enabled: version > 0,
    placeholderData: keepPreviousData,
  })
  const back = <BackLink to={to} label={label} />
  const error = found.error ?? content.error
  if (error !== null) {
    return (
      <>
        <PageHeader above={back} title={words.one} />
        <Problem error={error} onRetry={() => Promise.all([found.refetch(), content.refetch()])} />
      </>
    )
  }
  if (found.data === undefined) return <Skeleton className="late" h={420} radius="lg" />
  if (version === 0) {
    return (
      <>
        <PageHeader
          above={back}
          title={found.data.fields.name}
          beside={<StatusBadge tone={stateTones[found.data.state]} label={words.states[found.data.state]} />}
        />
        <Writing kind={kind} id={id} />
      </>
    )
  }
  if (content.data === undefined) return <Skeleton className="late" h={420} radius="lg" />
  return <OpenEditor key={id} kind={kind} written={found.data} content={content.data} back={back} />
}
