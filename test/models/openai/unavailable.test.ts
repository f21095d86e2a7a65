import { describe, expect, it } from 'vitest';
import { answerJson } from '../../fakes/raw-model-server.ts';
import { bothFailuresOf } from '../ask.ts';

describe('a model that can’t be used now', () => {
  it.each([
    'This model is only supported in v1/responses and not in v1/chat/completions.',
    'This is not a chat model and thus not supported in the v1/chat/completions endpoint.',
    "No models loaded. Please load a model in the developer page or use the 'lms load' command.",
    'Failed to load model "x". Error: insufficient system resources.',
  ])('is not told as missing where OpenAI or LM Studio says: %s', async (message) => {
    const body = { error: { message, type: 'invalid_request_error', code: 'model_not_found' } };
    for (const error of await bothFailuresOf(answerJson(body, 404))) {
      expect(error.failure).toBe('bad_request');
      expect(error.message).toContain(`does not accept the request (404). It said: ${message}`);
    }
  });

  it.each([
    [
      'for the day at Gemini, which asks to retry in seconds',
      {
        message: 'You exceeded your current quota. Please retry in 13.2s.',
        details: [
          { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
        ],
      },
    ],
    [
      'without payment at Gemini',
      { message: '* metric: x/generate_content_free_tier_requests, limit: 0, model: gemini-3-pro' },
    ],
    ['for the day at OpenRouter', { message: 'Rate limit exceeded: free-models-per-day. Add 10' }],
  ])('has no quota left %s, and is not asked again', async (_where, error) => {
    for (const failed of await bothFailuresOf(answerJson([{ error }], 429))) {
      expect(failed).toMatchObject({ failure: 'payment_required', isRetryable: false });
    }
  });

  it('is waited for until the limit of a minute ends that OpenRouter gives in the body', async () => {
    const headers = { 'X-RateLimit-Limit': '20', 'X-RateLimit-Reset': `${Date.now() + 50_000}` };
    const error = { message: 'Limit exceeded: free-models-per-min.', metadata: { headers } };
    for (const failed of await bothFailuresOf(answerJson({ error }, 429))) {
      expect(failed).toMatchObject({ failure: 'rate_limited' });
      expect(failed.retryAfterMs).toBeGreaterThan(30_000);
      expect(failed.retryAfterMs).toBeLessThanOrEqual(50_000);
    }
  });

  it('is read in no time, whatever it repeats', async () => {
    const error = { message: 'free_tier'.repeat(50_000), code: 429 };
    const startedAt = process.cpuUsage();
    for (const failed of await bothFailuresOf(answerJson({ error }))) {
      expect(failed).toMatchObject({ failure: 'rate_limited' });
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(2_000_000);
  });

  it('is given 20 seconds to be loaded, as llama.cpp and Hugging Face need', async () => {
    const body = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };
    for (const failed of await bothFailuresOf(answerJson(body, 503))) {
      expect(failed).toMatchObject({ isRetryable: true, retryAfterMs: 20_000 });
    }
  });
});
