// The forms of a page: what visitors subscribe to by each, and what is recorded as their consent.
import { Button, Paper, Skeleton, Stack, Text } from "@mantine/core"
import type { Form, FormConsent, Tent } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Fragment, lazy, Suspense, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { TopicsIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PanelHead } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { TopicName } from "../../topics/TopicName.tsx"
import { Fact } from "../../webhooks/Fact.tsx"
import { useWords } from "../../words/Words.tsx"

const FormDialog = lazy(async () => ({ default: (await import("./FormDialog.tsx")).FormDialog }))

const confirmationOf = (double_opt_in: boolean | null) =>
  double_opt_in === null ? "topic" : double_opt_in ? "yes" : "no"

const Consent = ({
  consent: { consent_field, double_opt_in, set_by, text, topic_ids },
}: {
  readonly consent: FormConsent
}) => {
  const { forms: words } = useWords("tents")
  return (
    <>
      <dl className="fields">
        <Fact label={words.subscribesTo}>
          {topic_ids.map((id, index) => (
            <Fragment key={id}>
              {index > 0 && ", "}
              <Link to="/topics/$topicId" params={{ topicId: id }} className="link inline">
                <TopicName topicId={id} />
              </Link>
            </Fragment>
          ))}
        </Fact>
        <Fact label={words.consent}>
          {consent_field === null ? words.consentBySending : words.consentByField(consent_field)}
        </Fact>
        {text !== null && <Fact label={words.agreedText}>{text}</Fact>}
        <Fact label={words.confirmation}>{words.confirmations[confirmationOf(double_opt_in)]}</Fact>
      </dl>
      <Text size="xs" c="dimmed" mt="xs">
        {words.evidence[consent_field === null ? "form" : "box"]} {set_by === "page" ? words.byPage : words.byApi}
      </Text>
    </>
  )
}

interface OneProps {
  readonly form: Form
  /** Null for those who may not change it. */
  readonly onChange: (() => void) | null
}

const One = ({ form: { consent, fields, form_id }, onChange }: OneProps) => {
  const { forms: words } = useWords("tents")
  return (
    <Paper p="md" component="section" aria-label={form_id}>
      <PanelHead
        title={form_id}
        beside={
          onChange !== null && (
            <Button size="compact-sm" variant="default" onClick={onChange}>
              {consent === null ? words.set : words.change}
            </Button>
          )
        }
      />
      <Text size="sm" c="dimmed" mb="xs" className="break">
        {words.fields(fields.join(", "))}
      </Text>
      {consent === null ? <Text size="sm">{words.noTopics}</Text> : <Consent consent={consent} />}
    </Paper>
  )
}

export const Forms = ({ tent }: { readonly tent: Tent }) => {
  const { forms: words } = useWords("tents")
  const { may } = useSession()
  const [open, setOpen] = useState<Form | null>(null)
  const params = { tentId: tent.id }
  const found = useQuery(queryOf("forms", "list", { params }))
  if (found.isPending) return <Skeleton className="late" h={160} radius="lg" />
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  const curl = <CurlButton call={["forms", "list", { params }]} />
  const { forms } = found.data
  if (forms.length === 0) {
    return (
      <Empty icon={<TopicsIcon size={22} />} title={words.none} text={words.noneText}>
        {curl}
      </Empty>
    )
  }
  return (
    <Stack maw={760} align="stretch">
      {forms.map((form) => (
        <One key={form.form_id} form={form} onChange={may("editor") ? () => setOpen(form) : null} />
      ))}
      <span>{curl}</span>
      <Suspense fallback={null}>
        {open !== null && <FormDialog form={open} tentId={tent.id} onClose={() => setOpen(null)} />}
      </Suspense>
    </Stack>
  )
}
