// The verdict of a blast's audit: every recipient is accounted for, and none got the message twice. Its checks unfold.
import { Button, Collapse, Group, Paper, Stack, Text, ThemeIcon } from "@mantine/core"
import type { Blast, BlastAudit } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { useFormat } from "../../format.ts"
import { CheckIcon, CrossIcon, ShieldIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { verdictOf } from "../blast.ts"

const Checks = ({ checks }: Pick<BlastAudit, "checks">) => {
  const words = useWords("blasts")
  return (
    <Stack gap={6} mt="sm">
      {checks.map(({ name, ok, recipient_ids, says }) => (
        <Group key={name} gap="xs" wrap="nowrap" align="flex-start">
          <ThemeIcon size={18} radius="xl" variant="light" color={ok ? "green" : "red"} aria-hidden="true">
            {ok ? <CheckIcon size={12} /> : <CrossIcon size={12} />}
          </ThemeIcon>
          <div>
            <Text size="sm">{words.checks[name]}</Text>
            {!ok && (
              <Text size="xs" c="dimmed" className="break">
                {[says, ...recipient_ids].join(" · ")}
              </Text>
            )}
          </div>
        </Group>
      ))}
    </Stack>
  )
}

const useSentence = (audit: BlastAudit, recipients: number): string => {
  const words = useWords("blasts")
  const { number } = useFormat()
  const { accounted, kind, once, total } = verdictOf(audit, recipients)
  if (kind === "deleted") return words.auditDeleted
  const counted = words.accounted(number(accounted), number(total))
  return `${counted}, ${once ? words.nobodyTwice : words.someTwice}`
}

const Shown = ({ audit, blast }: { readonly audit: BlastAudit; readonly blast: Blast }) => {
  const words = useWords("blasts")
  const [isOpen, setOpen] = useState(false)
  const sentence = useSentence(audit, blast.details.blast_recipient_count)
  return (
    <Paper p="md" component="section" aria-label={words.audit}>
      <Group justify="space-between" gap="xs">
        <Group gap="sm" wrap="nowrap">
          <ThemeIcon variant="light" color={audit.ok ? "green" : "red"} radius="xl" size={32} aria-hidden="true">
            <ShieldIcon size={18} />
          </ThemeIcon>
          <Text fw={600}>{sentence}</Text>
        </Group>
        <Group gap="xs">
          <CurlButton call={["blasts", "audit", { params: { blastId: blast.blast_id } }]} />
          <Button variant="default" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {words.showChecks(audit.checks.length)}
          </Button>
        </Group>
      </Group>
      <Collapse expanded={isOpen}>
        <Checks checks={audit.checks} />
      </Collapse>
    </Paper>
  )
}

export const Verdict = ({ blast }: { readonly blast: Blast }) => {
  // It reads every recipient: once for each visit, and again after a retry.
  const found = useQuery({
    ...queryOf("blasts", "audit", { params: { blastId: blast.blast_id } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  return found.data === undefined ? null : <Shown audit={found.data} blast={blast} />
}
