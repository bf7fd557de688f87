// Simulates the flow for a person: who, and what they do with messages; then the timeline, which plays over the canvas.
import { ActionIcon, Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from "@mantine/core"
import type { FlowSimulation } from "@tentpole/client"
import { useMutation } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { problemOf } from "../../api/problems.ts"
import { ContactPicker } from "../../contacts/ContactPicker.tsx"
import { CrossIcon, PlayIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import type { Structure } from "../draft/steps.ts"
import { type Doing, Doings } from "./Doings.tsx"
import type { Lit } from "./playback.ts"
import { Player } from "./Player.tsx"
import { Tokens, tokensOf, type TokenRow } from "./Tokens.tsx"

interface Result {
  readonly simulation: FlowSimulation
  /** The steps that were simulated. */
  readonly structure: Structure
  /** Another one begins its film again. */
  readonly number: number
}

interface Who {
  readonly kind: "invented" | "contact"
  readonly email: string
  readonly firstName: string
  readonly contactId: string | null
}

type Asked = NonNullable<Parameters<typeof api.flows.simulate>[0]["payload"]>

const personOf = ({ contactId, email, firstName, kind }: Who): Asked =>
  kind === "contact"
    ? { contact_id: contactId ?? "" }
    : {
        contact: {
          ...(email.trim() === "" ? {} : { email: email.trim() }),
          ...(firstName.trim() === "" ? {} : { first_name: firstName.trim() }),
        },
      }

const payloadOf = (who: Who, doings: ReadonlyArray<Doing>, rows: ReadonlyArray<TokenRow>): Asked => {
  const tokens = tokensOf(rows)
  return {
    ...personOf(who),
    ...(Object.keys(tokens).length === 0 ? {} : { tokens }),
    ...(doings.length === 0
      ? {}
      : {
          events: doings.map(({ amount, metric, stepId, unit }) => ({
            after: { amount, unit },
            metric,
            step_id: stepId,
          })),
        }),
  }
}

const Person = ({ onChange, who }: { readonly who: Who; readonly onChange: (who: Who) => void }) => {
  const words = useWords("flows")
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={words.simulatedContact}
        value={who.kind}
        data={[
          { value: "invented", label: words.invented },
          { value: "contact", label: words.aContact },
        ]}
        onChange={(kind) => onChange({ ...who, kind: kind === "contact" ? kind : "invented" })}
      />
      {who.kind === "contact" ? (
        <ContactPicker
          label={words.contact}
          value={who.contactId}
          onChange={(contactId) => onChange({ ...who, contactId })}
        />
      ) : (
        <Group gap="xs" grow align="flex-start">
          <TextInput
            label={words.email}
            type="email"
            value={who.email}
            onChange={({ currentTarget }) => onChange({ ...who, email: currentTarget.value })}
          />
          <TextInput
            label={words.firstName}
            value={who.firstName}
            onChange={({ currentTarget }) => onChange({ ...who, firstName: currentTarget.value })}
          />
        </Group>
      )}
    </Stack>
  )
}

const first: Who = { kind: "invented", email: "ann@example.org", firstName: "Ann", contactId: null }

/** Why nothing could be simulated: parts of the flow that are missing are shown at their places, too. */
const reasonsOf = (error: unknown): ReadonlyArray<string> | undefined => {
  const { details } = (error ?? {}) as { readonly details?: { readonly missing?: unknown } }
  const missing = details?.missing
  return Array.isArray(missing)
    ? missing.map(
        (each: { readonly path?: string; readonly message?: string }) => `${each.path ?? ""} ${each.message ?? ""}`,
      )
    : undefined
}

interface Props {
  readonly onLit: (lit: Lit) => void
}

export const Simulation = ({ onLit }: Props) => {
  const words = useWords("flows")
  const shell = useWords("shell")
  const { flow, isChanged, structure, whenSaved } = useEditing()
  const { simulate: _simulate, ...others } = useSearch({ from: "/flows/$flowId" })
  const navigate = useNavigate({ from: "/flows/$flowId" })
  const [who, setWho] = useState(first)
  const [doings, setDoings] = useState<ReadonlyArray<Doing>>([])
  const [rows, setRows] = useState<ReadonlyArray<TokenRow>>([])
  const [result, setResult] = useState<Result | null>(null)
  const params = { flowId: flow.flow_id }
  const known = doings.filter(({ stepId }) => structure.steps.some(({ step_id }) => step_id === stepId))
  const payload = payloadOf(who, known, rows)
  const simulate = useMutation({
    mutationFn: () => api.flows.simulate({ params, payload }),
    onSuccess: (simulation) => setResult((before) => ({ simulation, structure, number: (before?.number ?? 0) + 1 })),
  })
  const reasons = reasonsOf(simulate.error)
  return (
    <Paper p="md" component="section" aria-labelledby="flow-simulation" className="flow-panel">
      <Stack gap="md">
        <Group justify="space-between" wrap="nowrap">
          <h2 id="flow-simulation" className="flow-panel-title">
            {words.simulation}
          </h2>
          <Group gap={4} wrap="nowrap">
            <CurlButton call={["flows", "simulate", { params, payload }]} />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={shell.close}
              onClick={() => void navigate({ search: others, replace: true, resetScroll: false })}
            >
              <CrossIcon size={16} />
            </ActionIcon>
          </Group>
        </Group>
        <Person who={who} onChange={setWho} />
        <Doings doings={known} onChange={setDoings} />
        <Tokens rows={rows} onChange={setRows} />
        {simulate.isError && <Problem error={simulate.error} {...(reasons === undefined ? {} : { issues: reasons })} />}
        <Button
          leftSection={<PlayIcon size={15} />}
          loading={simulate.isPending}
          disabled={who.kind === "contact" && who.contactId === null}
          onClick={() => whenSaved(() => simulate.mutate())}
        >
          {isChanged ? words.saveAndSimulate : words.simulate}
        </Button>
        {problemOf(simulate.error).code === null && result === null && (
          <Text size="xs" c="dimmed">
            {words.simulateText}
          </Text>
        )}
        {result !== null && (
          <Player key={result.number} simulation={result.simulation} structure={result.structure} onLit={onLit} />
        )}
      </Stack>
    </Paper>
  )
}
