// train: gradients, optimisers, learning rates, gradient clipping, mixed precision.
#ifndef TINY_NO_NN
// ** gradients ******************************************************************************** >>gradients

// grads[i] = d loss / d params[i], new lazy tensors of the parameter's shape and dtype, to be freed as others.
// loss must have one element and be a float. A parameter that loss does not depend on gets zeros. Gradients can be
// differentiated again. TINY_E_ARG names an operator between the two that has no gradient. A parameter is what it holds
// now: one that was overwritten after the loss was built is none that loss depends on. Gradients that need contents
// which an assignment has overwritten by then are TINY_E_STATE when they are computed. [torch.autograd.grad]
TINY_API tiny_code   tiny_grad(tiny_tensor *loss, tiny_tensor *const *params, int n, tiny_tensor **grads);
// y, computed from inputs x[0..n-1], as it is; but what lies between x and y is not kept for the backward pass:
// tiny_grad computes it again from x when it gets there. y and x are kept. Cut a deep network of n layers into about
// sqrt(n) such segments, and memory falls to sqrt(n) for one more forward pass. What y needs and is not among x (and
// is not a parameter of tiny_grad) counts as part of the segment. [torch.utils.checkpoint.checkpoint]
TINY_API tiny_tensor *tiny_checkpoint(tiny_tensor *y, tiny_tensor *const *x, int n);

// ** training ********************************************************************************* >>training

// A training step is begin, loss, tiny_grad, a step of the optimiser, end. All of it queues assignments that run at
// tiny_end, on the device; what changes from step to step is a scalar or lies in memory, so every step is the same
// graph and replays the first one's plan.

// Optimisers: the default lr, beta1, beta2, eps; what they are from.
typedef enum tiny_optim_kind {
  TINY_SGD,        // 1e-2. momentum, dampening, nesterov [torch.optim.SGD]
  TINY_ADAM,       // 1e-3, 0.9, 0.999, 1e-8. amsgrad [torch.optim.Adam]
  TINY_ADAMW,      // as TINY_ADAM, weight_decay shrinks parameters instead of adding to gradients [torch.optim.AdamW]
  TINY_ADAMAX,     // 2e-3, 0.9, 0.999, 1e-8 [torch.optim.Adamax]
  TINY_LAMB,       // 1e-3, 0.9, 0.999, 1e-6: AdamW with each tensor's step scaled to its norm; arXiv:1904.00962
  TINY_RMSPROP,    // 1e-2, -, 0.99 (alpha), 1e-8. momentum, centered [torch.optim.RMSprop]
  TINY_ADAGRAD,    // 1e-2, -, -, 1e-10 [torch.optim.Adagrad]
  TINY_ADADELTA,   // 1, -, 0.9 (rho), 1e-6 [torch.optim.Adadelta]
  TINY_LION,       // 1e-4, 0.9, 0.99; decays as TINY_ADAMW; arXiv:2302.06675
  TINY_MUON,       // 1e-3; momentum 0.95, nesterov, eps 1e-7; decays as TINY_ADAMW; matrices only [torch.optim.Muon]
  TINY_OPTIM_COUNT
} tiny_optim_kind;

// An optimiser: begin with a zeroed struct. 0 means the default of the kind; where a 0 is meant, say TINY_ZERO.
// Groups of parameters with different settings are several optimisers.
typedef struct tiny_optim {
  tiny_optim_kind kind;
  double lr;                               // may change at every step, at no cost; the numbers below are compiled in
  double momentum, dampening, beta1, beta2, eps, weight_decay;
  int nesterov, centered, amsgrad;
  int maximize;                            // ascend
  tiny_tensor *when;                       // 0-d bool; where it is false this step changes nothing. NULL: always
  tiny_tensor **state; int n;              // its own from here on: state[slot * n + parameter], some of them NULL
  tiny_tensor *left;                       // (2): how far the averages over beta1 and beta2 are filled
  tiny_ctx *t;
  // 0-d float in the place of lr, for steps that are captured: an input of the program, or memory that is written
  // between runs. NULL: lr
  tiny_tensor *rate;
} tiny_optim;
// Moves params[0..n-1] by grads[0..n-1]. State is f32 for f16 and bf16 parameters, made of zeros at the first step and
// kept until tiny_optim_free. TINY_E_SHAPE or TINY_E_DTYPE when a gradient does not fit, TINY_E_ARG when n changes.
// [torch.optim.Optimizer.step]
TINY_API tiny_code    tiny_optim_step(tiny_optim *o, tiny_tensor *const *params, tiny_tensor *const *grads, int n);
// A step down: tiny_grad of loss by all that is trained in the list, and tiny_optim_step along that. Where gradients
// are clipped, scaled or looked at, say these two. Errors are theirs; TINY_E_ARG: the list has nothing to train.
// [tf.keras.optimizers.Optimizer.minimize]
TINY_API tiny_code    tiny_optim_minimize(tiny_optim *o, tiny_tensor *loss, const tiny_params *p);
// Frees the state, as tiny_close does. NULL is allowed.
TINY_API void         tiny_optim_free(tiny_optim *o);

// Scales n gradients in place (grads[i] becomes another tensor) so that the norm of all of them together is at most
// max_norm; returns the norm that they had, 0-d. p: 0 means 2; HUGE_VAL: the greatest magnitude.
// [torch.nn.utils.clip_grad_norm_]
TINY_API tiny_tensor *tiny_clip_grad_norm(tiny_tensor **grads, int n, double max_norm, double p);
// Clamps n gradients, in place, to -value .. value. [torch.nn.utils.clip_grad_value_]
TINY_API tiny_code    tiny_clip_grad_value(tiny_tensor **grads, int n, double value);

// Learning rates: what o.lr is at a step, counted from 0. TINY_ZERO in the place of 0, which would mean the default.

// lr * gamma^(step / every). [torch.optim.lr_scheduler.StepLR]
TINY_API double tiny_lr_step(double lr, int64_t step, int64_t every, double gamma);
// lr * gamma^(number of milestones that are passed); they rise. [torch.optim.lr_scheduler.MultiStepLR]
TINY_API double tiny_lr_multistep(double lr, int64_t step, const int64_t *milestones, int n, double gamma);
// lr * gamma^step. [torch.optim.lr_scheduler.ExponentialLR]
TINY_API double tiny_lr_exponential(double lr, int64_t step, double gamma);
// Half a wave from lr at step 0 to lowest at step period, and back. [torch.optim.lr_scheduler.CosineAnnealingLR]
TINY_API double tiny_lr_cosine(double lr, int64_t step, int64_t period, double lowest);
// From lr to lowest, and again from lr; each time takes multiply times as long.
// [torch.optim.lr_scheduler.CosineAnnealingWarmRestarts]
TINY_API double tiny_lr_cosine_restarts(double lr, int64_t step, int64_t period, int multiply, double lowest);
// lr * from at step 0 to lr * to at step steps, and on. Warm-up: from 0.01 to 1. [torch.optim.lr_scheduler.LinearLR]
TINY_API double tiny_lr_linear(double lr, int64_t step, int64_t steps, double from, double to);
// Up from highest / 25 over the first 0.3 of the steps, then down to 4e-6 of highest.
// [torch.optim.lr_scheduler.OneCycleLR]
TINY_API double tiny_lr_one_cycle(double highest, int64_t step, int64_t steps);
// lr * (1 - step / steps)^power. [torch.optim.lr_scheduler.PolynomialLR]
TINY_API double tiny_lr_polynomial(double lr, int64_t step, int64_t steps, double power);
// For tiny_lr_plateau; begin with zeros. 0: factor 0.1, threshold 1e-4, patience 10; patience -1: none.
typedef struct tiny_plateau {
  double factor, threshold, lowest; int patience;
  double best; int bad, begun;             // its own
} tiny_plateau;
// lr, or lr * factor (not below lowest) when value was not below its least by more than threshold of that for more
// than patience calls in a row. [torch.optim.lr_scheduler.ReduceLROnPlateau]
TINY_API double tiny_lr_plateau(tiny_plateau *s, double lr, double value);

// Mixed precision: gradients of f16 are too small for it, so the loss is scaled up and they are scaled down. A step
// whose gradients overflowed changes nothing and halves the scale; the host need not know. Begin with a zeroed struct.
//     tiny_grad(tiny_scaler_scale(&s, loss), params, n, grads);
//     tiny_scaler_unscale(&s, grads, n);                    // then clip, if at all
//     tiny_scaler_step(&s, &o, params, grads, n);
//     tiny_scaler_update(&s);
typedef struct tiny_scaler {
  double scale, growth, backoff;           // 0: 65536, 2, 0.5: at first; after interval good steps; after a bad one
  int interval;                            // 0: 2000
  tiny_tensor *state;                      // its own: f32 (2): scale, good steps in a row
  tiny_tensor *finite;                     // 0-d bool after tiny_scaler_unscale: are all gradients of this step?
} tiny_scaler;
// loss times the scale; f32 for an f16 or bf16 loss. [torch.cuda.amp.GradScaler.scale]
TINY_API tiny_tensor *tiny_scaler_scale(tiny_scaler *s, tiny_tensor *loss);
// grads[i] become the true gradients, f32 for f16 ones. May be called for several optimisers.
// [torch.cuda.amp.GradScaler.unscale_]
TINY_API tiny_code    tiny_scaler_unscale(tiny_scaler *s, tiny_tensor **grads, int n);
// tiny_optim_step where all gradients are finite. [torch.cuda.amp.GradScaler.step]
TINY_API tiny_code    tiny_scaler_step(tiny_scaler *s, tiny_optim *o, tiny_tensor *const *params,
                                       tiny_tensor *const *grads, int n);
// Once a step, after all optimisers. [torch.cuda.amp.GradScaler.update]
TINY_API tiny_code    tiny_scaler_update(tiny_scaler *s);
// Frees the state, as tiny_close does. NULL is allowed.
TINY_API void         tiny_scaler_free(tiny_scaler *s);

// Exponential moving average of parameters: average[i] is a tensor like params[i], a copy at the first step.
typedef struct tiny_ema {
  double decay;                            // 0: 0.999
  tiny_tensor **average; int n;            // its own
  tiny_ctx *t;
  tiny_tensor *steps;                      // (1): 0 before the first step, then 1
} tiny_ema;
// average = decay * average + (1 - decay) * params. [torch.optim.swa_utils.AveragedModel]
TINY_API tiny_code    tiny_ema_step(tiny_ema *e, tiny_tensor *const *params, int n);
// Frees the averages, as tiny_close does. NULL is allowed.
TINY_API void         tiny_ema_free(tiny_ema *e);
#endif // TINY_NO_NN
